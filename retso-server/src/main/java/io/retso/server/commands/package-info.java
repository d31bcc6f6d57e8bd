/**
 * Commands of operators that start no server, and what all commands have in common: exit codes, and
 * how a running server is asked. Besides {@link io.retso.server.ServerCommand} the only classes of
 * this module that print.
 */
package io.retso.server.commands;
