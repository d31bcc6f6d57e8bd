/** YCSB's workloads with its bindings for ReTSO and plain HBase, and the closed economy. */
package io.retso.bench.ycsb;
