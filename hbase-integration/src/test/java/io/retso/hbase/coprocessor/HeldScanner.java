package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Another coprocessor of a region, in front of ours, that holds up the scanners of clients as they
 * begin to read a row, behind what ours does first. Loaded into an open region by {@link #into}.
 */
public final class HeldScanner implements RegionCoprocessor, RegionObserver {
  private final AtomicReference<Hold> next = new AtomicReference<>();

  /** Called by HBase. */
  public HeldScanner() {}

  static HeldScanner into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(HeldScanner.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
    return (HeldScanner) region.getCoprocessorHost().findCoprocessor(HeldScanner.class.getName());
  }

  /** The next row that is read by a scanner opened from now on will be held. */
  Hold holdNext() {
    Hold hold = new Hold();
    next.set(hold);
    return hold;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public RegionScanner postScannerOpen(
      ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
    return (RegionScanner)
        Proxy.newProxyInstance(
            HeldScanner.class.getClassLoader(),
            new Class<?>[] {RegionScanner.class},
            (proxy, method, arguments) -> {
              if (method.getName().startsWith("next")) {
                Hold.stopAt(next);
              }
              try {
                return method.invoke(scanner, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
