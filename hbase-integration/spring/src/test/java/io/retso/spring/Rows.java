package io.retso.spring;

import io.retso.hbase.ReadTable;
import io.retso.hbase.TransactionalTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Texts in rows of a table, read and written in the transaction of the thread; and others. */
public class Rows {
  private static final byte[] F = Bytes.toBytes("f");
  private static final byte[] Q = Bytes.toBytes("q");

  private static final AtomicInteger TESTS = new AtomicInteger();

  private final PlatformTransactionManager manager;
  private final CurrentTransaction current;

  public Rows(PlatformTransactionManager manager, CurrentTransaction current) {
    this.manager = manager;
    this.current = current;
  }

  /** Called before each test: no row that was written before is found again. */
  public static void clear() {
    TESTS.incrementAndGet();
  }

  /** Where the row is; all of a test have the key of an empty one as their prefix. */
  static byte[] key(String row) {
    return Bytes.toBytes(TESTS + ":" + row);
  }

  /** A transaction with Spring's settings by default. */
  public TransactionTemplate transaction() {
    return new TransactionTemplate(manager);
  }

  public TransactionTemplate transaction(int propagation) {
    return new TransactionTemplate(manager, new DefaultTransactionDefinition(propagation));
  }

  public TransactionTemplate isolated(int level) {
    TransactionTemplate template =
        transaction(DefaultTransactionDefinition.PROPAGATION_REQUIRES_NEW);
    template.setIsolationLevel(level);
    return template;
  }

  public void put(String row, String value) {
    TransactionalTable table = current.table("rows");
    try {
      table.put(new Put(key(row)).addColumn(F, Q, Bytes.toBytes(value)));
    } catch (IOException e) {
      throw new UncheckedIOException("tables throw Spring's exceptions", e);
    }
  }

  /** Null if there is none. */
  public String get(String row) {
    ReadTable table = current.readTable("rows");
    try {
      return Bytes.toString(table.get(new Get(key(row))).getValue(F, Q));
    } catch (IOException e) {
      throw new UncheckedIOException("tables throw Spring's exceptions", e);
    }
  }

  /** What others see now. */
  public String committed(String row) {
    return transaction(DefaultTransactionDefinition.PROPAGATION_REQUIRES_NEW)
        .execute(status -> get(row));
  }

  /** A transaction of its own, while another one may be open. */
  public void commitAnother(String row, String value) {
    transaction(DefaultTransactionDefinition.PROPAGATION_REQUIRES_NEW)
        .executeWithoutResult(status -> put(row, value));
  }
}
