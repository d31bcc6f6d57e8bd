package io.retso.hbase.coprocessor.read;

import io.retso.hbase.coprocessor.oracle.OracleLink;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * Where the readers of a region look.
 *
 * @param fingerprint of the settings by which reads must go, {@link
 *     io.retso.hbase.layout.TableSettings#fingerprint}
 */
public record RegionParts(
    Region region,
    long fingerprint,
    RegionMarks marks,
    RegionOutcomes outcomes,
    Horizon horizon,
    OracleLink link,
    ObserverMetrics metrics) {}
