/**
 * One seam between workloads and what keeps their rows: a {@link io.retso.workload.Workload} is
 * made of programs, each a transaction, that know nothing of the {@link io.retso.workload.Store}
 * below them. {@link io.retso.workload.ClosedLoop} runs one on the other, and a caller that has
 * clients of another kind, such as the demo with its processes, runs programs by themselves ({@link
 * io.retso.workload.Program#runOn}).
 */
package io.retso.workload;
