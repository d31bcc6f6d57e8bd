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
 *   <li>One(k=1) begins, and reads
 *   <li>Other(k=1) runs, and commits
 *   <li>One(k=1) writes, and commits
 * </ol>
 */
class CellsDangerTest extends DangerTest {
  @Override
  protected void createTables() throws IOException {
    create("t", Conflicts.CELL);
  }

  @Override
  protected void runSchedule() throws IOException {
    try (Transaction pivot = begin("One", Isolation.SNAPSHOT)) {
      read(pivot, "t", "1/", "a");
      read(pivot, "t", "1/", "b");
      try (Transaction other = begin("Other", Isolation.SNAPSHOT)) {
        read(other, "t", "1/", "d");
        read(other, "t", "1/", "c");
        lock(other, "t", "1/", "d");
        write(other, "t", "1/", "b");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("Other(k=1)", e);
      }
      lock(pivot, "t", "1/", "a");
      write(pivot, "t", "1/", "c");
      pivot.commit();
    } catch (ConflictException | SerializationException e) {
      refused("One(k=1)", e);
    }
  }
}
