package io.retso.member;

import io.retso.protocol.ServerRole;
import io.retso.sequencer.Sequencer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Where a member serves its clients. It hears when replies may leave, and of a log that cannot be
 * used any more. Of the member's thread.
 */
public interface Front extends Sequencer.Replies {
  /** See {@link io.retso.front.FrontDesk#lead}. */
  void lead(Sequencer sequencer, ServerRole role);

  /** See {@link io.retso.front.FrontDesk#follow}. */
  void follow(ServerRole role);

  /** See {@link io.retso.front.FrontDesk#update}. */
  void update(ServerRole role);

  /** See {@link io.retso.front.FrontDesk#hears}. */
  boolean hears(String clientName);

  /** See {@link io.retso.front.FrontDesk#provedStandbys}. */
  Optional<Set<String>> provedStandbys();

  /**
   * Takes no more requests until {@link #follow}.
   *
   * @return see {@link io.retso.front.FrontDesk#drain}
   */
  CompletableFuture<Void> drain();
}
