package io.retso.workload.store;

import io.retso.client.OracleClient;
import io.retso.cluster.InProcessServer;
import io.retso.workload.Store;
import java.io.IOException;

/** An oracle in this process, and a store that is nothing but it. */
public final class OracleAlone implements AutoCloseable {
  private final InProcessServer server;
  private final Store store;

  /** Starts both. */
  public OracleAlone() throws IOException {
    server = new InProcessServer(1_000_000, 1 << 20, 100_000);
    store = new OracleStore(client());
  }

  /** Another client of the oracle, to be closed by the caller. */
  OracleClient client() {
    return OracleClient.builder().address("127.0.0.1:" + server.address().getPort()).build();
  }

  /** The store. */
  public Store store() {
    return store;
  }

  @Override
  public void close() throws IOException {
    store.close();
    server.close();
  }
}
