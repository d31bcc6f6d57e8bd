/** Bindings for YCSB, and a workload whose money has to add up. */
package io.retso.ycsb;
