/**
 * The commands {@code retso bench smallbank}, {@code sibench} and {@code readers}: workloads on
 * stores that are started for them, in rounds in which what is compared takes turns.
 */
package io.retso.bench.workload;
