package io.retso.hbase.coprocessor;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.protocol.OracleIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An oracle whose transactions go by their start timestamps, as cells do: it keeps the handles.
 * Only of those that it began itself.
 */
final class OracleByStart implements AutoCloseable {
  private static final int AT_A_TIME = 10_000;

  private final OracleClient client;
  private final Map<Long, TransactionHandle> handles = new ConcurrentHashMap<>();

  OracleByStart(String address) {
    client = OracleClient.builder().address(address).build();
  }

  OracleIdentity identity() {
    return client.identity();
  }

  long begin() {
    TransactionHandle begun = client.begin();
    handles.put(begun.startTimestamp(), begun);
    return begun.startTimestamp();
  }

  /** Begins so many that nothing ends. */
  void beginInVain(int count) {
    List<CompletableFuture<TransactionHandle>> begun = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      begun.add(client.beginAsync());
      if (begun.size() == AT_A_TIME) {
        begun.forEach(CompletableFuture::join);
        begun.clear();
      }
    }
    begun.forEach(CompletableFuture::join);
  }

  private TransactionHandle handle(long start) {
    TransactionHandle handle = handles.get(start);
    if (handle == null) {
      throw new IllegalArgumentException("transaction " + start + " was not begun here");
    }
    return handle;
  }

  CommitResult commit(long start, long... rows) {
    return client.commit(handle(start), rows);
  }

  CommitResult abort(long start) {
    return client.abort(handle(start));
  }

  void cleanedUp(long start) {
    client.cleanedUp(handle(start));
  }

  TransactionStatus status(long writer, long reader) {
    return client.status(writer, reader);
  }

  long lowWatermark() {
    return client.lowWatermark();
  }

  @Override
  public void close() {
    client.close();
  }
}
