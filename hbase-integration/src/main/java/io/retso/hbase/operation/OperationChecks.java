package io.retso.hbase.operation;

import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Tombstone;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.TableCatalog;
import io.retso.text.Text;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Refuses what HBase's API can say and a transaction cannot honour, at the call, before anything is
 * read or written. Thread-safe.
 */
public final class OperationChecks {
  /** Attributes that say nothing about what is written: an id for logs, and setReturnResults. */
  private static final Set<String> HARMLESS_ATTRIBUTES = Set.of("_operation.attributes.id", "_rr_");

  private static final String NO_TIMESTAMP =
      "the oracle gives the timestamps of a transaction: set none";

  private final PreparedTable table;
  private final TableCatalog tables;

  public OperationChecks(PreparedTable table, TableCatalog tables) {
    this.table = table;
    this.tables = tables;
  }

  public void check(Row action) {
    Objects.requireNonNull(action, "an action is null: leave it out");
    if (action instanceof Get get) {
      check(get);
    } else if (action instanceof Mutation mutation) {
      check(mutation);
    } else if (action instanceof RowMutations mutations) {
      refuse(mutations.getMutations().isEmpty(), "the RowMutations are empty: add a mutation");
      mutations.getMutations().forEach(this::check);
    } else if (action instanceof CheckAndMutate checked) {
      check(checked);
    } else {
      throw new IllegalArgumentException(
          "a transaction does not know actions of type " + action.getClass().getName());
    }
  }

  /** Checks a get, or the question whether there is something to get. */
  public void check(Get get) {
    Objects.requireNonNull(get, "a get is null: leave it out");
    SnapshotRequests.check(get);
    get.getFamilyMap().keySet().forEach(this::checkFamily);
  }

  public void check(Scan scan) {
    SnapshotRequests.check(scan);
    scan.getFamilyMap().keySet().forEach(this::checkFamily);
  }

  private void check(CheckAndMutate action) {
    TimeRange range = action.getTimeRange();
    refuse(
        range != null && !range.isAllTime(),
        "the snapshot is the time of a transaction's reads: no timeRange");
    if (action.hasFilter()) {
      SnapshotRequests.check(new Get(action.getRow()).setFilter(action.getFilter()));
    } else {
      checkFamily(action.getFamily());
    }
    check(action.getAction());
  }

  /** Checks a put, delete, increment or append. */
  public void check(Mutation mutation) {
    Objects.requireNonNull(mutation, "a mutation is null: leave it out");
    refuse(mutation.getTimestamp() != HConstants.LATEST_TIMESTAMP, NO_TIMESTAMP);
    refuse(
        mutation.getTTL() != Long.MAX_VALUE,
        "a snapshot keeps its values, by a clock that is not the oracle's: no setTTL");
    checkProtection(mutation);
    Objects.requireNonNull(mutation.getDurability(), "the durability is null: set another one");
    if (mutation.getDurability() == Durability.SKIP_WAL
        || mutation.getDurability() == Durability.ASYNC_WAL) {
      throw new IllegalArgumentException(
          Text.of(
              "durability %s could lose what was committed: use SYNC_WAL or the default",
              mutation.getDurability()));
    }
    // A cleanup that is lost after it was reported takes the committed write with it.
    refuse(
        mutation.getDurability() == Durability.FSYNC_WAL
            && table.descriptor().getDurability() != Durability.FSYNC_WAL,
        "FSYNC_WAL must hold for the cleanup of a write, too: alter the table's DURABILITY to"
            + " FSYNC_WAL");
    refuse(
        !mutation.getAttributesMap().keySet().stream()
            .allMatch(name -> HARMLESS_ATTRIBUTES.contains(name) || Protection.isAttribute(name)),
        "attributes are lost when writes of a transaction are merged: set none");
    checkKind(mutation);
    for (Map.Entry<byte[], List<Cell>> family : mutation.getFamilyCellMap().entrySet()) {
      checkFamily(family.getKey());
      family.getValue().forEach(cell -> check(mutation, cell));
    }
  }

  private void checkProtection(Mutation mutation) {
    if (Protection.of(mutation).isNone()) {
      return;
    }
    refuse(
        !table.isServerReads(),
        "cell ACLs and visibility labels are lost when clients clean a transaction up: set none,"
            + " or prepare the table with server reads");
    refuse(
        mutation instanceof Delete,
        "a delete of a transaction holds for all who read the cell: set no ACL and no visibility"
            + " label");
    try {
      mutation.getCellVisibility();
    } catch (DeserializationException e) {
      throw new IllegalArgumentException(
          "the visibility label cannot be read: set it by setCellVisibility", e);
    }
  }

  private void checkKind(Mutation mutation) {
    if (mutation instanceof Increment increment) {
      refuse(!increment.getTimeRange().isAllTime(), "no setTimeRange: the snapshot is the time");
    } else if (mutation instanceof Append append) {
      refuse(!append.getTimeRange().isAllTime(), "no setTimeRange: the snapshot is the time");
    }
    if (mutation instanceof Delete) {
      return; // an empty one deletes the row
    }
    refuse(
        !(mutation instanceof Put || mutation instanceof Increment || mutation instanceof Append),
        "a transaction does not know mutations of type " + mutation.getClass().getName());
    refuse(mutation.isEmpty(), "the mutation has no columns: add one, or leave it out");
  }

  private void checkFamily(byte[] family) {
    Objects.requireNonNull(family, "the family is null: name it");
    refuse(
        PendingWrite.isFamily(family),
        "family !pw is reserved for the marks of transactions: use another one");
    if (!table.descriptor().hasColumnFamily(family)) {
      tables.forget(table.name());
      throw new IllegalArgumentException(
          Text.of(
              "table %s has no family %s: add it and prepare the table again, and get the table"
                  + " from a transaction anew",
              table.name(), Bytes.toStringBinary(family)));
    }
  }

  private void check(Mutation mutation, Cell cell) {
    boolean isPut = cell.getType() == Cell.Type.Put;
    if (isPut == mutation instanceof Delete) {
      throw new IllegalArgumentException(
          Text.of(
              "a cell of type %s in a %s would be written as something else: %s",
              cell.getType(),
              mutation.getClass().getSimpleName(),
              isPut ? "use a Put" : "use a Delete"));
    }
    // Ahead of the timestamp, which such a delete always has, and which is not what is wrong.
    refuse(
        cell.getType() == Cell.Type.DeleteFamilyVersion,
        "a snapshot has one version of each cell: use addFamily instead of addFamilyVersion");
    refuse(
        cell.getTimestamp() != HConstants.LATEST_TIMESTAMP,
        isPut
            ? NO_TIMESTAMP
            : "a delete of chosen versions would change other snapshots: set no timestamp, and the"
                + " delete holds from this transaction on");
    checkValue(cell);
  }

  /** Checks a cell that is to be written; read-modify-write operations make new ones. */
  public void checkValue(Cell cell) {
    refuse(
        Tombstone.is(cell),
        "this 16-byte value is reserved, it means deleted: write another one, or use a Delete");
    // HBase's client would refuse it later, when the transaction could only be rolled back.
    int cellBytesMax = tables.cellBytesMax();
    if (cellBytesMax > 0 && cell.getSerializedSize() > cellBytesMax) {
      throw new IllegalArgumentException(
          Text.of(
              "a cell of %s bytes is over the limit of %s: make it smaller, or raise"
                  + " hbase.client.keyvalue.maxsize",
              cell.getSerializedSize(), cellBytesMax));
    }
  }

  /** For reasons that are constants: others are put together only when they are given. */
  private static void refuse(boolean refused, String reason) {
    if (refused) {
      throw new IllegalArgumentException(reason);
    }
  }
}
