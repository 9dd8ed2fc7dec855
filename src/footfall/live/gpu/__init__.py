"""Live characters on a GPU: the same rows and tables as on the CPU, stepped by CUDA kernels. Needs torch, not numba."""
