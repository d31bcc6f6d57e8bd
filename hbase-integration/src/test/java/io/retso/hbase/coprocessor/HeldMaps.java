package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import io.retso.hbase.coprocessor.region.Background;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * Maps of an open region that can be held: between two looks of the coprocessor, where HBase calls
 * no hook. By reflection, as the region's classes may come from a jar.
 */
final class HeldMaps {
  private HeldMaps() {}

  /** The outcomes that a region knows. */
  static final class Outcomes extends ConcurrentHashMap<Long, Long> {
    private static final long serialVersionUID = 1;

    private final transient AtomicReference<Hold> nextLook = new AtomicReference<>();
    private volatile long looked;

    private Outcomes(Map<Long, Long> outcomes) {
      super(outcomes);
    }

    /**
     * The next look for the outcome of a transaction will be held, when it has found it or none.
     */
    Hold holdNextLook(long start) {
      looked = RegionOutcomes.key(start);
      return next(nextLook);
    }

    @Override
    public Long get(Object key) {
      Long found = super.get(key);
      if (key.equals(looked)) {
        stopAt(nextLook);
      }
      return found;
    }
  }

  /** The adoptions whose outcomes have not left. */
  static final class Adoptions extends ConcurrentSkipListMap<Long, long[]> {
    private static final long serialVersionUID = 1;

    private final transient AtomicReference<Hold> nextAddition = new AtomicReference<>();
    private final transient AtomicReference<Hold> nextCopy = new AtomicReference<>();

    private Adoptions(Map<Long, long[]> adoptions) {
      super(adoptions);
    }

    /** The next adoption will be held before it is here: its marks are gone. */
    Hold holdNextAddition() {
      return next(nextAddition);
    }

    /** The next one to let outcomes go will be held before it sees which there are. */
    Hold holdNextCopy() {
      return next(nextCopy);
    }

    @Override
    public long[] merge(
        Long sequence,
        long[] starts,
        BiFunction<? super long[], ? super long[], ? extends long[]> both) {
      stopAt(nextAddition);
      return super.merge(sequence, starts, both);
    }

    @Override
    public Set<Map.Entry<Long, long[]>> entrySet() {
      stopAt(nextCopy);
      return super.entrySet();
    }
  }

  @SuppressWarnings("unchecked")
  static Outcomes outcomes(HRegion region) throws ReflectiveOperationException {
    Object outcomes = part(region, "outcomes");
    Outcomes held = new Outcomes((Map<Long, Long>) valueOf(outcomes, "outcomes"));
    field(outcomes, "outcomes").set(outcomes, held);
    return held;
  }

  @SuppressWarnings("unchecked")
  static Adoptions adoptions(HRegion region) throws ReflectiveOperationException {
    Object adoptions = part(region, "adoptions");
    Adoptions held = new Adoptions((Map<Long, long[]>) valueOf(adoptions, "adopted"));
    field(adoptions, "adopted").set(adoptions, held);
    return held;
  }

  /** Waits until the coprocessor has done what it does behind flushes so far. */
  static void awaitBackground(HRegion region)
      throws ReflectiveOperationException, InterruptedException {
    ClassLoader loader = observer(region).getClass().getClassLoader();
    CountDownLatch done = new CountDownLatch(1);
    Class.forName(Background.class.getName(), true, loader)
        .getMethod("run", Runnable.class, long.class)
        .invoke(null, (Runnable) done::countDown, 0);
    if (!done.await(60, TimeUnit.SECONDS)) {
      throw new AssertionError("it is still at work");
    }
  }

  private static Object observer(HRegion region) {
    return region.getCoprocessorHost().findCoprocessor(TransactionRegionObserver.class.getName());
  }

  private static Object part(HRegion region, String name) throws ReflectiveOperationException {
    return valueOf(valueOf(observer(region), "region"), name);
  }

  private static Object valueOf(Object owner, String field) throws ReflectiveOperationException {
    return field(owner, field).get(owner);
  }

  private static Field field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  private static Hold next(AtomicReference<Hold> place) {
    Hold hold = new Hold();
    place.set(hold);
    return hold;
  }

  private static void stopAt(AtomicReference<Hold> place) {
    try {
      Hold.stopAt(place);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
