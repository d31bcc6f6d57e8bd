package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.rubis.Rows.Comment;
import io.retso.workload.rubis.Rows.User;
import java.io.IOException;

/** Shows a user, and all comments on it. */
final class ViewUser extends Page {
  private final int number;

  ViewUser(Options options, Journal journal, int number) {
    super(options, journal);
    this.number = number;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    User user = User.of(tx.get(Tables.user(number)));
    int[] rating = {0};
    tx.scan(
        Tables.allOf(Tables.COMMENT, number),
        StoreTransaction.NO_LIMIT,
        (key, value) -> rating[0] += Comment.of(value).rating());
    isTorn = rating[0] != user.rating();
    return true;
  }
}
