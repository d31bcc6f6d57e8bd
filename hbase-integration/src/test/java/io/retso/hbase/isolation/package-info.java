/** The anomalies of the literature, over all interleavings of their steps. */
package io.retso.hbase.isolation;
