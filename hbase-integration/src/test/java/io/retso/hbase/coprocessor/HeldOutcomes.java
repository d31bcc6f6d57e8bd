package io.retso.hbase.coprocessor;

import io.retso.hbase.coprocessor.HeldBatch.Hold;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * The outcomes that an open region knows, with a look that can be held: between what is found and
 * what is made of it. No hook of HBase runs there. By reflection, as the region's classes may come
 * from a jar.
 */
final class HeldOutcomes extends ConcurrentHashMap<Long, Long> {
  private static final long serialVersionUID = 1;

  private final transient AtomicReference<Hold> next = new AtomicReference<>();
  private volatile long held;

  private HeldOutcomes(Map<Long, Long> outcomes) {
    super(outcomes);
  }

  /** Takes the place of the region's map. */
  static HeldOutcomes in(HRegion region) throws ReflectiveOperationException {
    Object observer =
        region.getCoprocessorHost().findCoprocessor(TransactionRegionObserver.class.getName());
    Object outcomes = valueOf(valueOf(observer, "region"), "outcomes");
    @SuppressWarnings("unchecked")
    HeldOutcomes held = new HeldOutcomes((Map<Long, Long>) valueOf(outcomes, "outcomes"));
    field(outcomes, "outcomes").set(outcomes, held);
    return held;
  }

  private static Object valueOf(Object owner, String field) throws ReflectiveOperationException {
    return field(owner, field).get(owner);
  }

  private static Field field(Object owner, String name) throws ReflectiveOperationException {
    Field field = owner.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** The next look for the outcome of a transaction will be held, when it has found it or none. */
  Hold holdNextLook(long start) {
    Hold hold = new Hold();
    held = start;
    next.set(hold);
    return hold;
  }

  @Override
  public Long get(Object start) {
    Long found = super.get(start);
    if (start.equals(held)) {
      try {
        Hold.stopAt(next);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }
}
