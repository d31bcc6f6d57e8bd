package io.retso.hbase.cleanup;

import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Another coprocessor of a region, in front of ours, that keeps cleanups waiting or refuses them.
 * All else passes. Loaded into an open region by {@link #into}.
 */
public final class CleanupGate implements RegionCoprocessor, RegionObserver {
  /** What happens to cleanups. */
  enum State {
    OPEN,
    CLOSED,
    REFUSING
  }

  private State state = State.OPEN;
  private int kept;
  private final List<List<Adoption>> lists = new ArrayList<>();

  /** Called by HBase. */
  public CleanupGate() {}

  static CleanupGate into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(CleanupGate.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
    return (CleanupGate) region.getCoprocessorHost().findCoprocessor(CleanupGate.class.getName());
  }

  synchronized void set(State next) {
    state = next;
    notifyAll();
  }

  /** Requests that it keeps waiting now. */
  synchronized int kept() {
    return kept;
  }

  /** The lists of outcomes that came so far. */
  synchronized List<List<Adoption>> lists() {
    return List.copyOf(lists);
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public synchronized void prePut(
      ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    if (put.getAttribute(CleanupRequest.ATTRIBUTE) == null && !AdoptionRequest.isRequest(put)) {
      return;
    }
    if (AdoptionRequest.isRequest(put)) {
      lists.add(AdoptionRequest.of(put).adoptions());
    }
    kept++;
    try {
      while (state == State.CLOSED) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    } finally {
      kept--;
    }
    if (state == State.REFUSING) {
      throw new DoNotRetryIOException("no cleanups today");
    }
  }
}
