package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;
import java.util.List;

/**
 * What takes turns in an experiment: a store and a level, and what else it varies.
 *
 * @param <C> the type itself
 */
interface LevelCase<C> {
  /** The levels that all stores have. */
  List<Isolation> BOTH = List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE);

  StoreKind store();

  Isolation level();

  /** This case at another level. */
  C at(Isolation other);
}
