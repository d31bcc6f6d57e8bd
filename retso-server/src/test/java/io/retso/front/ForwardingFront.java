package io.retso.front;

import io.retso.log.LogException;
import io.retso.member.Front;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Sequencer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Hands everything on to a front desk; tests add what others are to learn of it. */
public class ForwardingFront implements Front {
  private final FrontDesk desk;

  public ForwardingFront(FrontDesk desk) {
    this.desk = desk;
  }

  @Override
  public void lead(Sequencer sequencer, ServerRole role) {
    desk.lead(sequencer, role);
  }

  @Override
  public void follow(ServerRole role) {
    desk.follow(role);
  }

  @Override
  public void update(ServerRole role) {
    desk.update(role);
  }

  @Override
  public boolean hears(String clientName) {
    return desk.hears(clientName);
  }

  @Override
  public Optional<Set<String>> provedStandbys() {
    return desk.provedStandbys();
  }

  @Override
  public CompletableFuture<Void> drain() {
    return desk.drain();
  }

  @Override
  public void durable(long position) {
    desk.durable(position);
  }

  @Override
  public void failed(LogException cause) {
    desk.failed(cause);
  }
}
