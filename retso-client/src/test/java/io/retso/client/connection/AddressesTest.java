package io.retso.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AddressesTest {
  @Test
  void hostAndPortAreParsedAndPrintedAlike() {
    for (String text : new String[] {"localhost:1", "10.0.0.1:65535", "[::1]:7420"}) {
      InetSocketAddress address = Addresses.parse(text);
      assertTrue(address.isUnresolved());
      assertEquals(text, Addresses.text(address));
    }
  }

  @Test
  void whatIsNoAddressIsRefusedByName() {
    for (String text : new String[] {"", "localhost", ":7420", "a:0", "a:65536", "a:x", "::1:7"}) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> Addresses.parse(text));
      assertTrue(e.getMessage().contains("\"" + text + "\""), e.getMessage());
    }
  }
}
