package io.retso.workload.rubis;

import io.retso.workload.Numbers;
import io.retso.workload.Options;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Journal.Total;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;

/** Adds a user whose name none has; a name that is taken takes it back. */
final class RegisterUser extends Visit {
  private final int name;
  private final int region;
  private final int number;

  RegisterUser(Options options, Journal journal, int name, int region) {
    super(options, journal);
    this.name = name;
    this.region = region;
    this.number = journal.nextUser();
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    Row byName = Tables.userOf(name);
    if (tx.get(byName) != null) {
      return false;
    }
    tx.put(byName, Numbers.bytes(number));
    tx.insert(Tables.user(number), new User(name, region, 0, 0).bytes());
    return true;
  }

  @Override
  public void committed() {
    journal.add(Total.USERS, 1);
  }
}
