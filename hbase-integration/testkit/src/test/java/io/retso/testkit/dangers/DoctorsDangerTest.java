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
 *   <li>GoOffCall(shift=1, doctor=1) begins, and reads
 *   <li>GoOffCall(shift=1, doctor=2) runs, and commits
 *   <li>GoOffCall(shift=1, doctor=1) writes, and commits
 * </ol>
 */
class DoctorsDangerTest extends DangerTest {
  @Override
  protected void createTables() throws IOException {
    create("doctor", Conflicts.ROW);
  }

  @Override
  protected void runSchedule() throws IOException {
    try (Transaction pivot = begin("GoOffCall", Isolation.SNAPSHOT)) {
      scan(pivot, "doctor", "1/");
      try (Transaction other = begin("GoOffCall", Isolation.SNAPSHOT)) {
        scan(other, "doctor", "1/");
        write(other, "doctor", "1/2/", "oncall");
        other.commit();
      } catch (ConflictException | SerializationException e) {
        refused("GoOffCall(shift=1, doctor=2)", e);
      }
      write(pivot, "doctor", "1/1/", "oncall");
      pivot.commit();
    } catch (ConflictException | SerializationException e) {
      refused("GoOffCall(shift=1, doctor=1)", e);
    }
  }
}
