/**
 * What all parts of one region rely on: its {@link io.retso.hbase.coprocessor.region.Horizon}, the
 * {@link io.retso.hbase.coprocessor.region.BatchesInFlight}, and its metrics.
 */
package io.retso.hbase.coprocessor.region;
