/**
 * Workloads on the oracle alone, which go on whatever happens to it: rows are kept by the clients,
 * and what is not remembered is asked of the oracle, as regions of HBase do.
 */
package io.retso.chaos.work;
