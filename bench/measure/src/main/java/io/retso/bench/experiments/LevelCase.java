package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;

/**
 * What takes turns in an experiment: a store and a level, and what else it varies.
 *
 * @param <C> the type itself
 */
interface LevelCase<C> {
  StoreKind store();

  Isolation level();

  /** The same with another level. */
  C at(Isolation other);
}
