// An engine of the shape of MXNet's ThreadedEngine (Chen et al., 2015): a FIFO of waiting accesses per variable, each
// under a mutex; operations that wait with an atomic counter; pools of blocks; a ready queue of a mutex and a condition
// variable; one shared count of what is pending. Errors, profiling and devices are left out, so the original is slower.
// Like the original it may be pushed to by one thread only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mxnet {

// A free list of T under a mutex, grown a slab of 4 KiB at a time and never shrunk.
template <class T>
class Pool {
 public:
  template <class... Arguments>
  T* make(Arguments&&... arguments) {
    Slot* slot;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (free_ == nullptr) grow();
      slot = free_;
      free_ = slot->next;
    }
    return new (slot->bytes) T(std::forward<Arguments>(arguments)...);
  }

  void recycle(T* object) {
    object->~T();
    auto* slot = reinterpret_cast<Slot*>(object);
    std::lock_guard<std::mutex> lock(mutex_);
    slot->next = free_;
    free_ = slot;
  }

 private:
  union Slot {
    Slot* next;
    alignas(T) unsigned char bytes[sizeof(T)];
  };

  void grow() {
    slabs_.emplace_back(4096 / sizeof(Slot));
    for (Slot& slot : slabs_.back()) {
      slot.next = free_;
      free_ = &slot;
    }
  }

  std::mutex mutex_;
  Slot* free_ = nullptr;
  std::vector<std::vector<Slot>> slabs_;
};

class Variable;

// What was pushed, and how many grants it still waits for: one for each access, and one that Push drops last, so that it
// cannot start half registered.
struct Operation {
  Operation(std::function<void()> f, std::vector<Variable*> r, std::vector<Variable*> w)
      : function(std::move(f)), reads(std::move(r)), writes(std::move(w)), waiting(int(reads.size() + writes.size()) + 1) {}

  bool granted() { return --waiting == 0; }

  std::function<void()> function;
  std::vector<Variable*> reads, writes;
  std::atomic<int> waiting;
};

// An access in the FIFO of a variable.
struct Waiting {
  Operation* operation = nullptr;  // null in the empty block at the tail
  bool writes = false;
  Waiting* next = nullptr;
};

class Variable {
 public:
  explicit Variable(Pool<Waiting>* pool) : pool_(pool), tail_(pool->make()) {}

  // Adds a reader; returns whether it may start at once.
  bool append_read(Operation* op) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (oldest_write_ == nullptr) {
      readers_++;
      return true;
    }
    append(op, false);
    return false;
  }

  // Adds a writer; returns whether it may start at once.
  bool append_write(Operation* op) {
    std::lock_guard<std::mutex> lock(mutex_);
    Waiting* block = append(op, true);
    if (oldest_write_ != nullptr) return false;
    oldest_write_ = block;
    if (readers_ > 0) return false;
    readers_ = writing;
    return true;
  }

  // Ends a read; calls ready with a writer that can start now.
  template <class Ready>
  void complete_read(Ready ready) {
    Operation* writer = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (--readers_ == 0 && oldest_write_ != nullptr) {
        writer = oldest_write_->operation;
        readers_ = writing;
      }
    }
    if (writer != nullptr && writer->granted()) ready(writer);
  }

  // Ends the oldest write; calls ready with the operations that can start now: the readers up to the next write, or that.
  template <class Ready>
  void complete_write(Ready ready) {
    Waiting *first, *next_write;
    Operation* writer = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      first = oldest_write_->next;
      pool_->recycle(oldest_write_);
      version_++;
      readers_ = 0;
      next_write = first;
      while (next_write->operation != nullptr && !next_write->writes) {
        readers_++;
        next_write = next_write->next;
      }
      oldest_write_ = next_write->operation == nullptr ? nullptr : next_write;
      if (oldest_write_ != nullptr && readers_ == 0) {
        writer = oldest_write_->operation;
        readers_ = writing;
      }
    }
    // No other thread looks at the readers' blocks any more, so the lock is not needed.
    for (Waiting* block = first; block != next_write;) {
      Waiting* next = block->next;
      if (block->operation->granted()) ready(block->operation);
      pool_->recycle(block);
      block = next;
    }
    if (writer != nullptr && writer->granted()) ready(writer);
  }

 private:
  static constexpr int writing = -1;

  Waiting* append(Operation* op, bool writes) {
    Waiting* block = tail_;
    tail_ = pool_->make();
    block->operation = op;
    block->writes = writes;
    block->next = tail_;
    return block;
  }

  std::mutex mutex_;
  Pool<Waiting>* pool_;
  Waiting* tail_;  // always an empty block
  Waiting* oldest_write_ = nullptr;
  int readers_ = 0;  // that were granted, or writing
  uint64_t version_ = 0;
};

// The ready queue.
class Queue {
 public:
  void push(Operation* op) {
    bool wake;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      operations_.push_back(op);
      wake = idle_ > 0;
    }
    if (wake) filled_.notify_one();
  }

  // Returns null when the queue was closed.
  Operation* pop() {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_++;
    filled_.wait(lock, [this] { return closed_ || !operations_.empty(); });
    idle_--;
    if (operations_.empty()) return nullptr;
    Operation* op = operations_.front();
    operations_.pop_front();
    return op;
  }

  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    filled_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Operation*> operations_;
  int idle_ = 0;
  bool closed_ = false;
};

class Engine {
 public:
  explicit Engine(int workers) {
    for (int i = 0; i < workers; i++) workers_.emplace_back([this] { work(); });
  }

  ~Engine() {
    ready_.close();
    for (std::thread& worker : workers_) worker.join();
  }

  Variable* new_variable() { return variables_.make(&waiting_); }

  void push(std::function<void()> function, std::vector<Variable*> reads, std::vector<Variable*> writes) {
    Operation* op = operations_.make(std::move(function), std::move(reads), std::move(writes));
    pending_++;
    // It cannot end before the last grant, which comes after the loops.
    for (Variable* v : op->reads)
      if (v->append_read(op)) op->granted();
    for (Variable* v : op->writes)
      if (v->append_write(op)) op->granted();
    if (op->granted()) ready_.push(op);
  }

  void wait_for_all() {
    std::unique_lock<std::mutex> lock(finished_mutex_);
    finished_.wait(lock, [this] { return pending_ == 0; });
  }

 private:
  void work() {
    while (Operation* op = ready_.pop()) {
      op->function();
      auto ready = [this](Operation* next) { ready_.push(next); };
      for (Variable* v : op->reads) v->complete_read(ready);
      for (Variable* v : op->writes) v->complete_write(ready);
      operations_.recycle(op);
      if (--pending_ == 0) {
        std::lock_guard<std::mutex> lock(finished_mutex_);
        finished_.notify_all();
      }
    }
  }

  Pool<Waiting> waiting_;
  Pool<Variable> variables_;
  Pool<Operation> operations_;
  Queue ready_;
  std::atomic<long> pending_{0};
  std::mutex finished_mutex_;
  std::condition_variable finished_;
  std::vector<std::thread> workers_;
};

}  // namespace mxnet
