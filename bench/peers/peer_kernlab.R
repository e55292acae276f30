# kernlab's spoc-svc: peer_kernlab.R TRAIN GAMMA C. The file has the label last and no header. Prints JSON: processor
# seconds of ksvm, kernlab's version, support patterns, and the dual objective of its solution in our terms,
#   -1/2 sum_ij K_ij tau_i.tau_j - sum_i tau_i.b_i
library(kernlab)
arguments <- commandArgs(TRUE)
data <- read.csv(arguments[1], header = FALSE, stringsAsFactors = TRUE)
y <- factor(data[[ncol(data)]])
x <- as.matrix(data[, -ncol(data)])
gamma <- as.numeric(arguments[2])
seconds <- system.time(machine <- ksvm(x, y, type = "spoc-svc", kernel = "rbfdot", kpar = list(sigma = gamma),
                                       C = as.numeric(arguments[3]), scaled = FALSE, cache = 1000, fit = FALSE))
tau <- alpha(machine)
used <- rowSums(tau != 0) > 0
tau <- tau[used, ]
f <- kernelMatrix(rbfdot(sigma = gamma), x[used, ], x[used, ]) %*% tau
costs <- 1 - (outer(as.integer(y)[used], seq_len(nlevels(y)), "=="))
dual <- -sum(tau * f) / 2 - sum(tau * costs)
cat(sprintf('{"version": "kernlab %s", "train": %.6f, "patterns": %d, "dual": %.10g}\n', packageVersion("kernlab"),
            seconds[["user.self"]] + seconds[["sys.self"]], sum(used), dual))
