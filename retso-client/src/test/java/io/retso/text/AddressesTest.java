package io.retso.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressesTest {
  @Test
  void hostAndPortAreParsedAndPrintedAlike() {
    for (String text :
        new String[] {"localhost:1", "10.0.0.1:65535", "[::1]:7420", "[fe80::1%eth0]:1"}) {
      InetSocketAddress address = Addresses.parse(text);
      assertTrue(address.isUnresolved());
      assertEquals(text, Addresses.text(address));
    }
    assertEquals("a:7", Addresses.text(Addresses.parse("  a : 7\n")));
  }

  @Test
  void anIpv6AddressHasItsBracketsOnce() {
    assertEquals("[::1]:7", Addresses.text("::1", 7));
    assertEquals("[::1]:7", Addresses.text("[::1]", 7));
    assertEquals("::1", Addresses.parse("[::1]:7").getHostString());
  }

  @Test
  void whatIsNoAddressIsRefusedByName() {
    for (String text : new String[] {"", "localhost", ":7420", "a:0", "a:65536", "a:x", "::1:7"}) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> Addresses.parse(text));
      assertTrue(e.getMessage().contains("\"" + text + "\""), e.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost       | expected host:port",
        "::1:7           | needs brackets",
        "2001:db8::1     | needs brackets",
        "a:0             | a number from 1 to 65535",
        "a:1;b:2         | separated by commas",
        "a:1,b:2         | separated by commas",
        "a:1 b:2         | not by blanks",
        "http://a:1      | without http://",
        "http://[::1]:1/ | without http://",
        "a:1/status      | without a path",
      })
  void theMistakeIsNamed(String text, String mistake) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Addresses.parse(text));
    assertTrue(e.getMessage().contains(mistake), e.getMessage());
  }
}
