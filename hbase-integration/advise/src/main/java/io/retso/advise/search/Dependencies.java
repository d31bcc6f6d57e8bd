package io.retso.advise.search;

import io.retso.advise.model.Programs;
import java.util.Arrays;

/** Which programs can depend on each other, whatever else runs. Immutable. */
public final class Dependencies {
  private final Model model;
  private final boolean[][] vulnerable;
  private final boolean[][] any;

  /** Looks at all pairs of programs with all values that they may share. */
  public Dependencies(Programs programs) {
    model = new Model(programs);
    int n = model.programs.size();
    vulnerable = new boolean[n][n];
    any = new boolean[n][n];
    for (int i = 0; i < n; i++) {
      for (Bound unnamed : Bound.all(model, i, new int[0])) {
        compare(i, DangerSearch.named(unnamed));
      }
    }
  }

  private void compare(int i, Bound first) {
    int[] shared = Arrays.stream(first.values).distinct().toArray();
    for (int j = 0; j < model.programs.size(); j++) {
      for (Bound second : Bound.all(model, j, shared)) {
        any[i][j] |= first.meeting(second) != null;
        vulnerable[i][j] |= first.isOverwrittenBy(second) && !first.isRefusedBy(second);
      }
    }
  }

  /** Whether one of the second program can depend on one of the first. */
  public boolean depends(int first, int second) {
    return any[first][second];
  }

  /** Whether one of the second can overwrite what one of the first, beside it, has read. */
  public boolean isVulnerable(int first, int second) {
    return vulnerable[first][second];
  }
}
