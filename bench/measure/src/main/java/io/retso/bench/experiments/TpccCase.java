package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;
import java.util.Locale;

/**
 * What takes turns in {@code bench tpcc}.
 *
 * @param share of programs that only read, percent
 */
public record TpccCase(StoreKind store, int share, Isolation level) implements LevelCase<TpccCase> {
  @Override
  public TpccCase at(Isolation other) {
    return new TpccCase(store, share, other);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s, %d %% read-only, %s", store, share, level);
  }
}
