package io.retso.sequencer;

import io.retso.oracle.Changes;
import io.retso.oracle.ForwardedChanges;
import io.retso.oracle.StatusOracle;

/**
 * The one oracle of a process that leads again and again, with a {@link Sequencer} for each term:
 * it reports its changes to that which was made last. A replay reports nothing.
 *
 * <p>Of the sequencer's thread.
 */
public final class SharedOracle extends ForwardedChanges implements Sequencer.OracleMaker {
  private final StatusOracle oracle;
  private Changes target = Changes.NONE;

  /** Makes the oracle. */
  public SharedOracle(Sequencer.OracleMaker maker) {
    oracle = maker.make(this);
  }

  @Override
  protected Changes target() {
    return target;
  }

  /** The oracle, which reports to {@code changes} from now on. */
  @Override
  public StatusOracle make(Changes changes) {
    target = changes;
    return oracle;
  }

  /** The oracle, for a replay between two terms. */
  public StatusOracle oracle() {
    return oracle;
  }
}
