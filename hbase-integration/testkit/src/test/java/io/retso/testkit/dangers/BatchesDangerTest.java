package io.retso.testkit.dangers;

import io.retso.hbase.Transaction;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.testkit.DangerTest;
import java.io.IOException;

/**
 * What snapshot isolation lets happen, and no serial order explains:
 *
 * <ol>
 *   <li>NewReceipt(batch=1, receipt=1) begins, and reads
 *   <li>CloseBatch() runs, and commits
 *   <li>Report(batch=1) runs, and commits
 *   <li>NewReceipt(batch=1, receipt=1) writes, and commits
 * </ol>
 */
class BatchesDangerTest extends DangerTest {
  @Override
  protected void createTables() throws IOException {
    create("control", Conflicts.ROW);
    create("receipt", Conflicts.ROW);
  }

  @Override
  protected void runSchedule() throws IOException {
    try (Transaction pivot = begin("NewReceipt", Isolation.SNAPSHOT)) {
      read(pivot, "control", "current/", "batch");
      try (Transaction other = begin("CloseBatch", Isolation.SNAPSHOT)) {
        read(other, "control", "current/", "batch");
        write(other, "control", "current/", "batch");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("CloseBatch()", e);
      }
      try (Transaction other = begin("Report", Isolation.SNAPSHOT)) {
        read(other, "control", "current/", "batch");
        scan(other, "receipt", "1/");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("Report(batch=1)", e);
      }
      write(pivot, "receipt", "1/1/", "amount");
      pivot.commit();
    } catch (ConflictException | SerializationException e) {
      refused("NewReceipt(batch=1, receipt=1)", e);
    }
  }
}
