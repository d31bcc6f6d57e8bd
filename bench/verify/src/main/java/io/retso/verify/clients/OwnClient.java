package io.retso.verify.clients;

import java.io.IOException;
import java.util.function.Function;

/** A client in this process; it is replaced when it is killed. Thread-safe. */
public final class OwnClient implements AutoCloseable {
  private final Function<int[], ClientPlan> plans;
  private Client client;

  /**
   * Starts it.
   *
   * @param plans for one client more, whose groups begin at the given generations
   */
  public OwnClient(Function<int[], ClientPlan> plans, int[] generations) throws IOException {
    this.plans = plans;
    this.client = Client.start(plans.apply(generations));
  }

  /** Where its groups of lists are. */
  public synchronized int[] generations() {
    return client.generations();
  }

  /** Takes away its connection to HBase, in the middle of whatever it does; starts another one. */
  public synchronized String killOne() throws IOException {
    client.kill();
    client = Client.start(plans.apply(client.generations()));
    return "a transaction manager lost its connection, and was replaced";
  }

  @Override
  public synchronized void close() throws IOException {
    client.close();
  }
}
