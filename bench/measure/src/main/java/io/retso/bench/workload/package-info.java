/**
 * {@code retso bench smallbank} and {@code retso bench sibench}: workloads on stores that are
 * started for them, in rounds in which what is compared takes turns.
 */
package io.retso.bench.workload;
