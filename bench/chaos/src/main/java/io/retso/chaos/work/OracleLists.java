package io.retso.chaos.work;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.numbers;

import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.workload.Options;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.UnknownOutcomeException;
import io.retso.workload.store.AskingStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lists on the oracle alone. A scan reads the lists that it names, and no others. */
public final class OracleLists implements ListStore {
  /** What it needs in its store. */
  public static final String TABLE = "lists";

  private static final long[] EMPTY = {};

  private final AskingStore store;

  /** In a store, which stays open. */
  public OracleLists(AskingStore store) {
    this.store = store;
  }

  /** The numbers of all lists that were read or written. */
  public List<Long> keys() {
    return store.keys(TABLE).stream().map(Long::valueOf).toList();
  }

  /** How a store begins what a history says; only that is read-only which reads a safe snapshot. */
  static Options options(Isolation isolation) {
    boolean onSafe = isolation == Isolation.RECENT || isolation == Isolation.DEFERRED;
    return new Options(
        isolation.label(),
        isolation.isSerializable()
            ? io.retso.workload.Isolation.SERIALIZABLE
            : io.retso.workload.Isolation.SNAPSHOT,
        onSafe,
        isolation == Isolation.DEFERRED);
  }

  @Override
  public ListTransaction begin(Isolation isolation, boolean readOnly) throws IOException {
    return new ListTx(store.begin(options(isolation)));
  }

  private record ListTx(AskingStore.Tx tx) implements ListTransaction {
    @Override
    public TimestampPair timestamps() {
      return tx.commitTimestamp() == 0
          ? TimestampPair.started(tx.timestamp())
          : new TimestampPair(tx.timestamp(), tx.commitTimestamp());
    }

    @Override
    public List<long[]> run(Action action) throws IOException {
      List<long[]> lists = new ArrayList<>();
      for (ListKey key : action.reads()) {
        lists.add(read(row(key)));
      }
      for (Action.Append append : action.appends()) {
        Row row = row(append.key());
        long[] before = read(row);
        long[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = append.value();
        tx.put(row, bytes(after));
      }
      return lists;
    }

    private static Row row(ListKey key) {
      return new Row(TABLE, Long.toString(key.number()));
    }

    private long[] read(Row row) throws IOException {
      byte[] list = tx.get(row);
      return list == null ? EMPTY : numbers(list);
    }

    @Override
    public void commit() throws CommitFailure {
      try {
        tx.commit();
      } catch (UnknownOutcomeException e) {
        throw new CommitFailure(CommitFailure.Kind.UNKNOWN, e);
      } catch (RefusedException e) {
        throw new CommitFailure(kind(e.reason()), e);
      } catch (IOException e) {
        throw new CommitFailure(CommitFailure.Kind.FAILED, e);
      }
    }

    private static CommitFailure.Kind kind(Reason reason) {
      return reason == Reason.CONFLICT
          ? CommitFailure.Kind.CONFLICT
          : reason.isCertification() ? CommitFailure.Kind.REFUSED : CommitFailure.Kind.FAILED;
    }

    @Override
    public void rollback() {
      tx.close();
    }

    @Override
    public Resolved resolve() throws IOException {
      boolean isCommitted = tx.isCommittedAfterAll();
      return new Resolved(isCommitted, timestamps());
    }
  }
}
