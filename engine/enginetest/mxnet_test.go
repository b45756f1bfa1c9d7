package enginetest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryEngineTestOfMXNetHasItsProperty tells which properties stand for the tests of MXNet's engine: those of
// tests/cpp/engine/threaded_engine_test.cc, and of tests/python/unittest/test_engine.py and test_exc_handling.py. Left out are
// OMPBehaviour.after_fork, as a Go program does not fork, and test_engine_import, which is not about engines but about their names.
func TestEveryEngineTestOfMXNetHasItsProperty(t *testing.T) {
	known := map[string]bool{}
	for _, p := range slices.Concat(properties...) {
		require.False(t, known[p.name], "%s is there twice", p.name)
		known[p.name] = true
	}
	for test, names := range map[string][]string{
		"Engine.start_stop":          {"StopAndStartReturn"},
		"Engine.RandSumExpr":         {"RandSumExprEqualsSerialRun"},
		"Engine.PushFunc":            {"FunctionsArePushedWithEveryMixOfAccesses"},
		"Engine.PushFuncND":          {"FunctionsArePushedWithEveryMixOfAccesses"},
		"Engine.basics, readers":     {"OperatorsThatReadOneVariableRunTogether"},
		"Engine.basics, writers":     {"OperatorsThatWriteOneVariableRunInOrder"},
		"Engine.basics, fresh":       {"WaitForAFreshVariableReturnsAtOnce"},
		"Engine.basics, write":       {"WaitLastsAsLongAsACopyThatWrites", "WaitWaitsForWrites"},
		"Engine.basics, read":        {"WaitDoesNotWaitForReads", "WaitAllWaitsForReads"},
		"Engine.VarVersion":          {"ReadsLeaveTheVersion", "VersionCountsWrites"},
		"Engine.omp_threading_count": {"HostFunctionsShareWorkWithTheWorkers"},
		"EngineShutdown":             {"AVariableOutlivesItsEngine", "FreeingWorksAfterClose"},
		"ThreadLocal":                {"BuffersOfGoroutinesDoNotMix", "RandSumExprOfPushersWithPrivateVariablesEqualsSerialRun"},
		"test_bulk":                  {"ABulkComputesWhatItsOperationsDo"},
		"test_exc_imperative":        {"AnErrorSticksToAllOutputs"},
		"test_exc_symbolic":          {"DependantsOfAFailureAreSkipped"},
		"test_exc_multiple_waits":    {"WaitAllReportsEveryRootOnce", "AnErrorSticksToAllOutputs"},
		"test_exc_post_fail":         {"SiblingsOfAFailureStayInError"},
		"test_exc_mutable_var_fail":  {"AFailurePassesThroughAnOperationThatReadsItTwice"},
		"test_custom_op_exc":         {"ErrorsInsideAHostFunctionReachItsWaiter"},
	} {
		for _, name := range names {
			require.True(t, known[name], "%s needs %s", test, name)
		}
	}
}
