#!/bin/sh
# Headers.sh gets the headers of CUDA 11.8, of CUDA 13 without cuBLAS, and of cuDNN 9 from NVIDIA's packages for Python,
# 540 MB of which little is kept, into a folder that it prints. What is there already stays.
set -eu
folder=${WEFT_CUDA_HEADERS:-${XDG_CACHE_HOME:-$HOME/.cache}/weft/cuda-headers}
mkdir -p "$folder"

# get NAME PACKAGE... extracts the headers of packages into a folder with a name.
get() {
	name=$1
	shift
	if [ ! -e "$folder/$name" ]; then
		work=$(mktemp -d)
		trap 'rm -rf "$work"' EXIT
		python3 -m pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --dest "$work/wheels" "$@" >&2
		python3 - "$work" <<-'END'
			import glob, os, sys, zipfile
			for wheel in glob.glob(sys.argv[1] + "/wheels/*.whl"):
			    with zipfile.ZipFile(wheel) as z:
			        for member in z.namelist():
			            _, found, header = member.partition("/include/")
			            if found and header and not header.endswith(("/", ".py")):
			                to = os.path.join(sys.argv[1], "include", header)
			                os.makedirs(os.path.dirname(to), exist_ok=True)
			                with open(to, "wb") as f:
			                    f.write(z.read(member))
		END
		mv "$work/include" "$folder/$name"
		rm -rf "$work"
	fi
}

get cuda13 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
get cudnn9 nvidia-cudnn-jit-cu12==9.27.0.42
get cuda11 nvidia-cuda-runtime-cu11==11.8.89 nvidia-cuda-nvcc-cu11==11.8.89 nvidia-cuda-nvrtc-cu11==11.8.89
get cublas11 nvidia-cublas-cu11==11.11.3.6
echo "$folder"
