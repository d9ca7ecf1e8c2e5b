# manual.awk: makes a page of the argument parser's writer of manuals one that `man` and `apropos` take: a name without a blank, no
# empty lines, and the exit statuses that the command tells, instead of a sentence that holds for others.
# usage: awk -f deploy/manual.awk PAGE

/^\.Dt / { gsub(/\./, "-"); sub(/^-Dt/, ".Dt") }
/^\.Xr / { gsub(/\./, "-"); sub(/^-Xr/, ".Xr") }
/^\.Sh / { section = $2 }
/^\.Nm/ && section == "NAME" {
  command = $0
  gsub(/^\.Nm |"/, "", command)
  name = command
  gsub(/ /, "-", name)
  print ".Nm " name
  next
}
/^\.Nm$/ && section == "SYNOPSIS" { print ".Nm \"" command "\""; next }
/^\.Nd / { gsub(/"/, ""); sub(/\.$/, "") }
/Exit status: / {
  statuses = $0
  sub(/.*Exit status: /, "", statuses)
  sub(/ *Exit status: .*/, "")
  if ($0 == "") { next }
}
/^$/ { isPending = 1; next }
/^\.Ex -std/ { print (statuses == "" ? "0 on success, 64 for wrong usage." : statuses); next }
isPending { isPending = 0; if ($0 !~ /^\.(Bl|Sh|El)/) print ".Pp" }
{ print }
