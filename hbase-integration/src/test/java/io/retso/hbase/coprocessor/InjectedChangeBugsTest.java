package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Known bugs of reads of changes, on which increments rest; {@link ChangesTest} shows each. */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedChangeBugsTest {
  /** A rule that is broken, how, and the test that says so. */
  enum Bug {
    DELETES_ARE_NO_CHANGES(
        ": newest.stream().filter(",
        ": SnapshotRow.withoutTombstones(newest).stream().filter(",
        "areThoseOfTheModel"),
    OLDER_VERSIONS_ARE_CHANGES("cell.getTimestamp() >= since", "true", "areThoseOfTheModel"),
    LOOKS_FROM_THE_OLDER_SNAPSHOT_ON(
        "return Math.min(Math.min(horizon, since), parts.outcomes().lowest());",
        "return since;",
        "whatBeganBeforeTheOlderSnapshotIsOne"),
    LOOKS_FROM_THE_HORIZON_ON(
        "return Math.min(Math.min(horizon, since), parts.outcomes().lowest());",
        "return Math.min(horizon, since);",
        "whatTheRegionHasAdoptedIsOneWhereverItIs"),
    THE_OLDER_SNAPSHOT_SHOWS_ITS_OWN_NUMBER(
        "cell.getTimestamp() >= since",
        "cell.getTimestamp() > since",
        "aPlainVersionOfTheNumberOfTheOlderSnapshotIsOne"),
    THE_HORIZON_MAY_PASS_THE_OLDER_SNAPSHOT(
        "since == 0 ? timestamp : since;",
        "timestamp;",
        "areRefusedWhenTheHorizonHasPassedTheOlderSnapshot");

    private final EditedCoprocessor.Bug edit;

    Bug(String text, String instead, String method) {
      this.edit =
          new EditedCoprocessor.Bug(
              name(),
              "coprocessor/read/RegionReader.java",
              text,
              instead,
              ChangesTest.class,
              method);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(180)
  void isCaught(Bug bug, @TempDir Path directory, RetsoCluster cluster) throws Exception {
    bug.edit.assertCaught(directory, cluster);
  }
}
