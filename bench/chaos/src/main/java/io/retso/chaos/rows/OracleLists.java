package io.retso.chaos.rows;

import io.retso.client.CommitResult;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lists on the oracle alone. A scan reads the lists that it names, and no others. */
public final class OracleLists implements ListStore {
  private static final long[] EMPTY = {};

  private final OracleRows rows;

  /** In some rows, which stay open. */
  public OracleLists(OracleRows rows) {
    this.rows = rows;
  }

  @Override
  public ListTransaction begin(Isolation isolation, boolean readOnly) throws IOException {
    return new ListTx(rows.begin(isolation));
  }

  private record ListTx(OracleRows.Tx tx) implements ListTransaction {
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
        lists.add(read(key));
      }
      for (Action.Append append : action.appends()) {
        long[] before = read(append.key());
        long[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = append.value();
        tx.write(append.key().number(), after);
      }
      return lists;
    }

    private long[] read(ListKey key) throws IOException {
      long[] list = tx.read(key.number());
      return list == null ? EMPTY : list;
    }

    @Override
    public void commit() throws CommitFailure {
      tx.commit();
    }

    @Override
    public void rollback() {
      tx.rollback();
    }

    @Override
    public Resolved resolve() throws IOException {
      CommitResult result = tx.resolve();
      return result.isCommitted()
          ? new Resolved(true, new TimestampPair(tx.timestamp(), result.commitTimestamp()))
          : new Resolved(false, TimestampPair.started(tx.timestamp()));
    }
  }
}
