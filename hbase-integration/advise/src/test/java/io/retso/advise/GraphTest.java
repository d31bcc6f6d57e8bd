package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.graph.DependencyGraph;
import io.retso.advise.model.Programs;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** Graphs of Alomari et al. (ICDE 2008), Figures 1 to 3, and the pictures of them. */
class GraphTest {
  private static final Path PICTURE = Path.of("../../docs/pictures/smallbank-programs.svg");

  private static Set<String> vulnerable(Programs programs) {
    return DependencyGraph.of(programs).edges().stream()
        .filter(DependencyGraph.Edge::isVulnerable)
        .map(edge -> edge.from() + " " + edge.to())
        .collect(Collectors.toSet());
  }

  @Test
  void figure1() {
    assertEquals(
        Set.of(
            "Balance DepositChecking",
            "Balance TransactSaving",
            "Balance Amalgamate",
            "Balance WriteCheck",
            "WriteCheck TransactSaving"),
        vulnerable(Cases.smallBank()));
    DependencyGraph graph = DependencyGraph.of(Cases.smallBank());
    assertEquals(List.of("WriteCheck"), graph.pivots());
    // All but Balance meet themselves and each other, but DepositChecking and TransactSaving.
    assertEquals(4 * 4 - 2 + 2 * 4, graph.edges().size());
  }

  @Test
  void figures2And3() {
    Map<String, Programs> all = Cases.safeStrategies();
    Set<String> ofBalance =
        Set.of(
            "Balance DepositChecking",
            "Balance TransactSaving",
            "Balance Amalgamate",
            "Balance WriteCheck");
    assertEquals(ofBalance, vulnerable(all.get("MaterializeWT")));
    assertEquals(ofBalance, vulnerable(all.get("PromoteWT-upd")));
    assertEquals(
        Set.of(
            "Balance DepositChecking",
            "Balance TransactSaving",
            "Balance Amalgamate",
            "WriteCheck TransactSaving"),
        vulnerable(all.get("MaterializeBW")));
    assertEquals(
        Set.of("Balance TransactSaving", "WriteCheck TransactSaving"),
        vulnerable(all.get("PromoteBW-upd")));
    assertEquals(Set.of(), vulnerable(all.get("MaterializeALL")));
    assertEquals(Set.of(), vulnerable(all.get("PromoteALL")));
    all.forEach((name, programs) -> assertEquals(List.of(), DependencyGraph.of(programs).pivots()));
  }

  @Test
  void dotMarksWhatIsVulnerable() {
    String dot = DependencyGraph.of(Cases.smallBank()).toDot();
    assertTrue(dot.contains("\"WriteCheck\" -> \"TransactSaving\" [style=dashed];"), dot);
    assertTrue(dot.contains("\"TransactSaving\" -> \"WriteCheck\";"), dot);
    assertTrue(dot.contains("\"WriteCheck\" [peripheries=2];"), dot);
  }

  /** {@code -Dretso.docs.write=true} draws the picture of the pages anew. */
  @Test
  void thePictureIsThatOfThePages() throws Exception {
    String svg = DependencyGraph.of(Cases.smallBank()).toSvg();
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
    if (Boolean.getBoolean("retso.docs.write")) {
      Files.writeString(PICTURE, svg);
    }
    assertEquals(Files.readString(PICTURE), svg, "-Dtest.jvm.extra=-Dretso.docs.write=true");
  }

  @Test
  void graphsOfFewAreDrawn() throws IOException {
    String one = DependencyGraph.of(Cases.safe().get("transfers")).toSvg();
    assertTrue(one.contains(">transfer</text>") && !one.contains("NaN"), one);
  }
}
