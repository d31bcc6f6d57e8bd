package io.retso.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.Transfers;
import io.retso.hbase.errors.TableNotPreparedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.transaction.annotation.Transactional;

/** Which exceptions roll back, by the annotation. */
@SpringBootTest(classes = TestApplication.class)
@Import(RollbackRulesTest.Work.class)
class RollbackRulesTest {
  /** Writes, and goes on. */
  static class Work {
    private final Rows rows;

    Work(Rows rows) {
      this.rows = rows;
    }

    @Transactional
    public void byDefault(Callable<?> next) throws Exception {
      rows.put("a", "1");
      next.call();
    }

    @Transactional(rollbackFor = IOException.class)
    public void alsoForChecked(Callable<?> next) throws Exception {
      rows.put("a", "1");
      next.call();
    }
  }

  @Autowired private Rows rows;
  @Autowired private Work work;
  @Autowired private CurrentTransaction current;
  @Autowired private Transfers transfers;

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  private static Callable<?> failing(Exception e) {
    return () -> {
      throw e;
    };
  }

  @Test
  void uncheckedOnesDo() {
    assertThrows(
        IllegalArgumentException.class,
        () -> work.byDefault(failing(new IllegalArgumentException())));
    assertNull(rows.committed("a"));
  }

  @Test
  void checkedOnesDoIfTheyAreNamed() {
    FileNotFoundException failure = new FileNotFoundException();
    assertThrows(FileNotFoundException.class, () -> work.alsoForChecked(failing(failure)));
    assertNull(rows.committed("a"));
    assertThrows(FileNotFoundException.class, () -> work.byDefault(failing(failure)));
    assertEquals("1", rows.committed("a"), "Spring's rule");
  }

  /** HBase declares a checked exception, for which half a transaction would be committed. */
  @Test
  void failuresOfTablesDo() {
    InvalidDataAccessResourceUsageException e =
        assertThrows(
            InvalidDataAccessResourceUsageException.class,
            () -> work.byDefault(() -> current.table("missing")));
    assertInstanceOf(TableNotPreparedException.class, e.getCause());
    assertNull(rows.committed("a"));
  }

  @Test
  @SuppressWarnings("deprecation") // of the builder, which applications still use
  void whatTablesReturnWorksAsTheirs() throws Exception {
    byte[] family = {'f'};
    byte[] row = Rows.key("b");
    byte[] qualifier = {'q'};
    Put put = new Put(row).addColumn(family, qualifier, family);
    Scan mine = new Scan().setStartStopRowForPrefixScan(Rows.key(""));
    work.byDefault(
        () -> {
          Table table = current.readTable("rows").asTable();
          var condition = table.checkAndMutate(row, family).qualifier(qualifier).ifNotExists();
          assertTrue(condition.thenPut(put));
          try (ResultScanner scanner = table.getScanner(mine)) {
            assertEquals(2, scanner.next(10).length);
          }
          return null;
        });
    assertEquals("1", rows.committed("a"));
    assertEquals("f", rows.committed("b"));
  }

  @Test
  void theExampleMovesMoney() throws IOException {
    transfers.transfer("alice", "bob", 30);
    assertEquals(-30, transfers.balance("alice"));
    assertEquals(30, transfers.balance("bob"));
    assertTrue(
        assertThrows(IllegalStateException.class, () -> current.table("accounts"))
            .getMessage()
            .contains("@Transactional"));
  }
}
