/**
 * One seam between workloads and what keeps their rows: a {@link io.retso.workload.Workload} is
 * made of programs, each a transaction, that know nothing of the {@link io.retso.workload.Store}
 * below them. {@link io.retso.workload.ClosedLoop} runs one on the other.
 */
package io.retso.workload;
