/**
 * What all parts of one region rely on: its {@link io.retso.hbase.coprocessor.region.Horizon}, the
 * {@link io.retso.hbase.coprocessor.region.BatchesInFlight}, the {@link
 * io.retso.hbase.coprocessor.region.RegionMarks} of its writers, the {@link
 * io.retso.hbase.coprocessor.region.RegionDecisions} on how they ended, and its metrics.
 */
package io.retso.hbase.coprocessor.region;
