# The dual value, in our terms, that kernlab comes to: kernlab.R FILE TYPE GAMMA C. The file has the label last and no
# header. TYPE spoc-svc: Crammer-Singer with the kernel exp(-GAMMA ||x - z||^2). TYPE kbb-svc: Weston-Watkins with x.z + 1
# (it adds the 1 itself: a bias that is penalised) and a margin of 2, whose machine at 2C is twice ours, and its value four times.
suppressMessages(library(kernlab))
arguments <- commandArgs(TRUE)
data <- read.csv(arguments[1], header = FALSE, stringsAsFactors = TRUE)
y <- factor(data[[ncol(data)]])
x <- as.matrix(data[, -ncol(data)])
own <- outer(as.integer(y), seq_len(nlevels(y)), "==")
C <- as.numeric(arguments[4])
if (arguments[2] == "spoc-svc") {
    kernel <- rbfdot(sigma = as.numeric(arguments[3]))
    machine <- ksvm(x, y, type = "spoc-svc", kernel = kernel, C = C, scaled = FALSE, cache = 1000, fit = FALSE, tol = 1e-5)
    tau <- alpha(machine)
    K <- kernelMatrix(kernel, x, x)
} else {
    machine <- ksvm(x, y, type = "kbb-svc", kernel = "vanilladot", kpar = list(), C = 2 * C, scaled = FALSE, fit = FALSE,
                    tol = 1e-6)
    eta <- alpha(machine) / 2 # a column for each class but the own one
    tau <- t(sapply(seq_along(y), function(i) {
        row <- numeric(nlevels(y))
        row[-as.integer(y)[i]] <- -eta[i, ]
        row[as.integer(y)[i]] <- sum(eta[i, ])
        row
    }))
    K <- x %*% t(x) + 1
}
used <- rowSums(tau != 0) > 0
tau <- tau[used, ]
cat(sprintf("%.10g\n", -sum(tau * (K[used, used] %*% tau)) / 2 - sum(tau * (1 - own[used, ]))))
