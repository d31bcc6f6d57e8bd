package io.retso.hbase.beside;

import io.retso.hbase.AsyncReadTable;
import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;

/**
 * Something that a transaction does, drawn at random: a statement, a scan that is left early, or a
 * read that is protected. Made anew from its seed whenever it is carried out.
 *
 * @param onlyReads whether it is one that a {@link ReadTransaction} has
 */
record SerialStep(long seed, boolean onlyReads) {
  private static final int PROTECTED = 2;
  private static final int ALL = 10;

  /** A transaction that only reads often looks at everything, so that it matters what it sees. */
  private int kind(Draw draw) {
    int kind = draw.below(onlyReads ? 8 : ALL);
    return onlyReads && (kind == PROTECTED || kind > 5) ? ALL : kind;
  }

  /** Carries it out, spoils what was passed, and tells what the application has learnt. */
  String in(ReadTransaction tx, TableName name) throws Exception {
    Draw draw = Draw.narrow(seed);
    try {
      return switch (kind(draw)) {
        case 0 -> abandoned(tx.table(name), ReadStatements.scan(draw), 1 + draw.below(3));
        case 1 -> consumed(async(tx, name), ReadStatements.scan(draw), 1 + draw.below(3));
        case PROTECTED -> protectedRead(((Transaction) tx).table(name), draw);
        case ALL -> SerialOrder.all(tx, name);
        case 3, 4, 5 -> outcome(ReadStatements.of(draw), tx, name, draw.oneIn(2));
        default -> outcome(Writes.of(draw), tx, name, draw.oneIn(2));
      };
    } finally {
      draw.spoil();
    }
  }

  @Override
  public String toString() {
    Draw draw = Draw.narrow(seed);
    return switch (kind(draw)) {
      case 0, 1 -> {
        Scan scan = ReadStatements.scan(draw);
        yield "left after " + (1 + draw.below(3)) + ": " + RequestText.of(scan);
      }
      case PROTECTED -> {
        Get get = ReadStatements.get(draw, draw.row());
        yield (draw.oneIn(2) ? "lock " : "validate ") + RequestText.of(get);
      }
      case ALL -> "everything";
      case 3, 4, 5 -> ReadStatements.of(draw).toString();
      default -> Writes.of(draw).toString();
    };
  }

  private static AsyncReadTable async(ReadTransaction tx, TableName name) throws Exception {
    return tx.asyncTable(name).get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
  }

  private static String outcome(
      Statement statement, ReadTransaction tx, TableName name, boolean async) throws Exception {
    return Outcome.of(
        statement,
        async
            ? new AnyTable.Async(async(tx, name).asTable())
            : new AnyTable.Blocking(tx.table(name).asTable()));
  }

  /** Takes some rows, and neither the others nor the end; the scanner is not closed. */
  private static String abandoned(ReadTable table, Scan scan, int rows) throws Exception {
    ResultScanner scanner = table.getScanner(scan);
    List<Result> taken = new ArrayList<>();
    for (int i = 0; i < rows && (i == 0 || taken.get(i - 1) != null); i++) {
      taken.add(scanner.next());
    }
    return taken(taken);
  }

  /** Takes some rows by a consumer that wants no more. */
  private static String consumed(AsyncReadTable table, Scan scan, int rows) throws Exception {
    List<Result> taken = new ArrayList<>();
    CompletableFuture<Void> done = new CompletableFuture<>();
    table.scan(
        scan,
        new ScanResultConsumer() {
          @Override
          public boolean onNext(Result row) {
            taken.add(row);
            return taken.size() < rows;
          }

          @Override
          public void onError(Throwable failure) {
            done.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            done.complete(null);
          }
        });
    done.get(AnyTable.SECONDS_MAX, TimeUnit.SECONDS);
    return taken(taken);
  }

  /** As text; what applications do with the keys of rows that they have got is their own affair. */
  private static String taken(List<Result> rows) {
    String text = rows.stream().map(row -> row == null ? "end" : Outcome.text(row)).toList() + "";
    for (Result row : rows) {
      if (row != null) {
        row.getRow()[0] ^= 0x55;
      }
    }
    return text;
  }

  private static String protectedRead(TransactionalTable table, Draw draw) throws Exception {
    Get get = ReadStatements.get(draw, draw.row());
    try {
      return Outcome.text(draw.oneIn(2) ? table.getForUpdate(get) : table.getValidated(get));
    } catch (IllegalArgumentException e) { // of what has no name if conflicts are by cell
      return "refused";
    }
  }
}
