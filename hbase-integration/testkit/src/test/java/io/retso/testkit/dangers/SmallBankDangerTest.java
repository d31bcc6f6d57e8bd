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
 *   <li>WriteCheck(n=1) begins, and reads
 *   <li>TransactSaving(n=1) runs, and commits
 *   <li>Balance(n=1) runs, and commits
 *   <li>WriteCheck(n=1) writes, and commits
 * </ol>
 */
class SmallBankDangerTest extends DangerTest {
  @Override
  protected void createTables() throws IOException {
    create("account", Conflicts.ROW);
    create("checking", Conflicts.ROW);
    create("saving", Conflicts.ROW);
  }

  @Override
  protected void runSchedule() throws IOException {
    try (Transaction pivot = begin("WriteCheck", Isolation.SNAPSHOT)) {
      read(pivot, "account", "1/", "id");
      read(pivot, "saving", "1/", "b");
      read(pivot, "checking", "1/", "b");
      try (Transaction other = begin("TransactSaving", Isolation.SNAPSHOT)) {
        read(other, "account", "1/", "id");
        read(other, "saving", "1/", "b");
        write(other, "saving", "1/", "b");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("TransactSaving(n=1)", e);
      }
      try (Transaction other = begin("Balance", Isolation.SNAPSHOT)) {
        read(other, "account", "1/", "id");
        read(other, "saving", "1/", "b");
        read(other, "checking", "1/", "b");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("Balance(n=1)", e);
      }
      write(pivot, "checking", "1/", "b");
      pivot.commit();
    } catch (ConflictException | SerializationException e) {
      refused("WriteCheck(n=1)", e);
    }
  }
}
