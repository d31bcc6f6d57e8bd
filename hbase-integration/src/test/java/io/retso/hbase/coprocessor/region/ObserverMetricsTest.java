package io.retso.hbase.coprocessor.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.junit.jupiter.api.Test;

class ObserverMetricsTest {
  @Test
  void figuresGoOnWithTheNextRegionWhenTheLastOneCloses() {
    MetricRegistries ofHBase = MetricRegistries.global();
    MetricRegistryInfo name = new MetricRegistryInfo("kept", "", "kept", "kept", false);
    MetricRegistry ofProbe = ofHBase.create(name);
    ObserverMetrics.keep(ofProbe);
    ofHBase.remove(name);
    MetricRegistry ofRegion = ofHBase.create(name);
    assertSame(ofProbe, ofRegion);
    ObserverMetrics.keep(ofRegion);
    new ObserverMetrics(ofRegion).adopted.increment();
    ofHBase.remove(name);
    assertEquals(1, new ObserverMetrics(ofHBase.create(name)).adopted.getCount());
  }
}
