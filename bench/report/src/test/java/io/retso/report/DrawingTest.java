package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Point;
import io.retso.report.Plot.Series;
import io.retso.report.Plot.Span;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class DrawingTest {
  private static final List<String> LEVELS = List.of("1", "20");

  private static Document drawn(Plot plot) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(Drawing.of(plot).getBytes(StandardCharsets.UTF_8)));
  }

  private static double number(NodeList of, int i, String attribute) {
    return Double.parseDouble(((Element) of.item(i)).getAttribute(attribute));
  }

  private static Plot plot(Kind kind, double value, double error) {
    return Plot.of("file", "A <fast> one & more", "subtitle", Axis.of("clients", LEVELS))
        .panel(
            kind,
            Axis.linear("per second"),
            List.of(
                Series.ofMeans("SI", "", LEVELS, level -> new Mean(value, error, 3)),
                Series.ofMeans("none", "", LEVELS, level -> new Mean(0, 0, 0))));
  }

  @Test
  void intervalsAreBarsThatStayWithinTheirPanel() throws Exception {
    Document drawing = drawn(plot(Kind.LINES, 1000, 1e9));
    NodeList circles = drawing.getElementsByTagName("circle");
    assertEquals(2, circles.getLength(), "a mean of no measurements is no point");
    NodeList lines = drawing.getElementsByTagName("line");
    int bars = 0;
    for (int i = 0; i < lines.getLength(); i++) {
      if (number(lines, i, "x1") == number(lines, i, "x2")) {
        bars++;
        assertTrue(number(lines, i, "y2") >= 84 && number(lines, i, "y1") <= 84 + 360);
      }
    }
    assertEquals(2, bars);
    String text = drawing.getDocumentElement().getTextContent();
    assertTrue(text.contains("A <fast> one & more") && text.contains("per second"), text);
  }

  @Test
  void barsAreAsHighAsTheirValues() throws Exception {
    NodeList two = drawn(plot(Kind.BARS, 1000, 0)).getElementsByTagName("rect");
    assertEquals(1 + 2, two.getLength(), "the ground, and a bar in each group");
    assertEquals(360, number(two, 1, "height"), 0.1, "the axis ends at 1,000");
  }

  @Test
  void rangesReachFromTheMedianToTheLongest() throws Exception {
    Percentiles millis = new Percentiles(10, 2, 1, 3, 10, 20, 100);
    Plot plot =
        Plot.of("file", "title", "subtitle", Axis.log("ms"))
            .panel(
                Kind.RANGES,
                Axis.linear(""),
                List.of(new Series("", "", List.of(Point.of("a case", millis)))));
    Document drawing = drawn(plot);
    NodeList bars = drawing.getElementsByTagName("rect");
    double width = number(bars, 1, "width");
    NodeList lines = drawing.getElementsByTagName("line");
    int last = lines.getLength() - 1;
    assertEquals(width, number(lines, last, "x2") - number(lines, last, "x1"), 0.2, "logarithmic");
    assertTrue(drawing.getDocumentElement().getTextContent().contains("ms (logarithmic)"));
  }

  private static Document timeline(double[] counts, double[] waits) throws Exception {
    return drawn(
        Plot.of("file", "title", "subtitle", Axis.linear("seconds"))
            .panel(
                Kind.CURVES,
                Axis.linear("commits a second"),
                List.of(Series.ofSteps("", 0.1, counts, false)))
            .panel(
                Kind.CURVES,
                Axis.log("longest wait, ms"),
                List.of(Series.ofSteps("begin", 0.1, waits, true)))
            .over(
                List.of(new Span("kill-leader", 1, 1.5)),
                List.of(new Span("oracle-1", 0, 10), new Span("oracle-2", 10, 30))));
  }

  @Test
  void leadersAndFaultsAreShownOverTheirTimes() throws Exception {
    Document drawing = timeline(new double[] {10, 20, 0, 5}, new double[] {1, 2, 0, 300});
    String text = drawing.getDocumentElement().getTextContent();
    assertTrue(text.contains("oracle-1") && text.contains("kill-leader"), text);
    assertEquals(2, drawing.getElementsByTagName("path").getLength());
  }

  @Test
  void aLongRunIsDrawnWithAPointForSeveralSteps() throws Exception {
    double[] counts = new double[100_000];
    double[] waits = new double[100_000];
    Arrays.fill(counts, 100);
    waits[77_777] = 5000;
    waits[88_888] = 5000;
    NodeList paths = timeline(counts, waits).getElementsByTagName("path");
    String path = ((Element) paths.item(0)).getAttribute("d");
    assertTrue(path.split("[ML]").length < 2000, "points: " + path.split("[ML]").length);
    assertEquals(2, paths.getLength(), "the waits are drawn");
  }

  @Test
  void nothingIsDrawable() throws Exception {
    timeline(new double[0], new double[0]);
    drawn(Plot.of("file", "title", "subtitle", Axis.linear("nothing")));
  }
}
